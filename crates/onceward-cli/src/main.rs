//! The `onceward` command.

mod alerting;
mod args;
mod command;
mod config;
mod exit;
mod line;
mod logging;
mod output;
mod progress;
mod prompt;
mod publishing;
mod relaying;
mod scheduling;
mod secrets;
mod signal;
mod stop;
mod store;
mod taking;

use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use command::Run;
use config::Env;
use exit::Exit;
use output::Output;
use stop::Stop;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => checked(cli).into(),
        Err(error) => misunderstood(&error).into(),
    }
}

fn checked(cli: Cli) -> Exit {
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let Some(flag) = args::twice(args.iter().map(String::as_str)) else { return run(cli) };
    let stop = Stop::usage("usage", format!("{flag} is given twice: leave one out"));
    Output::new(&cli.global, &Env::of_process()).stop(&stop);
    stop.exit
}

fn run(cli: Cli) -> Exit {
    let env = Env::of_process();
    let output = Output::new(&cli.global, &env);
    logging::start(&output);
    let here = std::env::current_dir().map_err(|error| Stop::failed("io", format!("this folder: {error}")));
    let done = here.and_then(|here| block_on(cli.command, &Run { global: cli.global, output, env, here }));
    done.unwrap_or_else(|stop| {
        output.stop(&stop);
        stop.exit
    })
}

fn block_on(command: args::Command, run: &Run) -> Result<Exit, Stop> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Stop::failed("io", format!("no threads to work with: {error}")))?;
    let done = runtime.block_on(command::run(command, run));
    // A handler that blocks its thread must not keep a process that has come to its end.
    runtime.shutdown_background();
    done
}

/// Help and the version are answers; anything else is a mistake on the command line.
fn misunderstood(error: &clap::Error) -> Exit {
    let json = std::env::args_os().any(|arg| arg == "--json");
    if error.exit_code() == 0 || !json {
        // A closed pipe leaves nobody to tell.
        let _ = error.print();
    } else {
        let text = error.to_string();
        println!(
            "{}",
            Stop::usage("usage", text.strip_prefix("error: ").unwrap_or(&text).trim_end()).document()
        );
    }
    if error.exit_code() == 0 { Exit::Fine } else { Exit::Usage }
}
