//! Secrets from a person or a script: by a prompt without echo, or from standard input. Never from the command line,
//! which other users of the machine can read.

use std::io::{self, IsTerminal, Read};

use secrecy::SecretString;

use crate::exit::Exit;
use crate::output::call;
use crate::signal::Signals;
use crate::stop::Stop;

/// No secret is longer.
const LONGEST: u64 = 64 * 1024;

/// What came of asking.
#[derive(Debug)]
pub(crate) enum Asked {
    /// One secret for each question.
    Secrets(Vec<SecretString>),
    /// A signal ended it; nothing was taken.
    Stopped(Exit),
}

/// Asks for these secrets: one after the other on a terminal; else one is all of standard input, and several are its
/// lines in this order.
pub(crate) async fn ask(questions: &[String]) -> Result<Asked, Stop> {
    let mut signals = Signals::catch()?;
    let _quiet = Quiet::start()?;
    let (all, terminal) = (questions.to_vec(), io::stdin().is_terminal());
    let read = tokio::task::spawn_blocking(move || if terminal { typed(&all) } else { piped(&all) });
    tokio::select! {
        read = read => read.unwrap_or_else(|_| Err(wrong("standard input could not be read"))).map(Asked::Secrets),
        exit = signals.next() => Ok(Asked::Stopped(exit)),
    }
}

fn typed(questions: &[String]) -> Result<Vec<SecretString>, Stop> {
    let ask = |question: &String| {
        call(&format!("{question} (it is not shown):"));
        let mut line = String::new();
        io::stdin().read_line(&mut line).map_err(|error| wrong(&format!("standard input: {error}")))?;
        secret(&line, question)
    };
    questions.iter().map(ask).collect()
}

fn piped(questions: &[String]) -> Result<Vec<SecretString>, Stop> {
    let mut text = String::new();
    let read = io::stdin().take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(|error| wrong(&format!("standard input: {error}")))?;
    if text.len() as u64 > LONGEST {
        return Err(wrong("standard input is longer than 64 KiB, which no secret is"));
    }
    apart(&text, questions)
}

/// One secret is the whole text, several are its lines.
fn apart(text: &str, questions: &[String]) -> Result<Vec<SecretString>, Stop> {
    if let [question] = questions {
        return Ok(vec![secret(text, question)?]);
    }
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() != questions.len() {
        let text = format!(
            "standard input has {} lines; expected one for each of: {}",
            lines.len(),
            questions.join(", ")
        );
        return Err(wrong(&text));
    }
    lines.into_iter().zip(questions).map(|(line, question)| secret(line, question)).collect()
}

fn secret(text: &str, question: &str) -> Result<SecretString, Stop> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() { Err(wrong(&format!("{question}: nothing was given"))) } else { Ok(text.into()) }
}

fn wrong(text: &str) -> Stop {
    Stop::usage("secret_not_given", text)
}

/// The terminal shows nothing of what is typed until this is dropped.
struct Quiet {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Quiet {
    fn start() -> Result<Self, Stop> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        if !io::stdin().is_terminal() {
            return Ok(Self { before: None });
        }
        let failed = |error| wrong(&format!("the terminal cannot hide what is typed: {error}"));
        let before = tcgetattr(io::stdin()).map_err(failed)?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        hidden.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Flush, &hidden).map_err(failed)?;
        Ok(Self { before: Some(before) })
    }
}

#[cfg(unix)]
impl Drop for Quiet {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(before) = &self.before {
            // A terminal that is gone needs nothing.
            let _ = tcsetattr(io::stdin(), OptionalActions::Flush, before);
        }
    }
}

#[cfg(not(unix))]
impl Quiet {
    fn start() -> Result<Self, Stop> {
        if io::stdin().is_terminal() {
            return Err(wrong(
                "this terminal cannot hide what is typed: pipe the secret into standard input",
            ));
        }
        Ok(Self {})
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn given(text: &str, questions: &[&str]) -> Result<Vec<String>, String> {
        let questions: Vec<String> = questions.iter().map(|&question| question.to_owned()).collect();
        let secrets = apart(text, &questions).map_err(|stop| stop.text)?;
        Ok(secrets.iter().map(|secret| secret.expose_secret().to_owned()).collect())
    }

    #[test]
    fn one_secret_is_the_whole_text_and_several_are_its_lines() {
        assert_eq!(given("a\nb\n", &["key"]).unwrap(), ["a\nb"]);
        assert_eq!(given("a b \r\n", &["key"]).unwrap(), ["a b "]);
        assert_eq!(given("a\r\nb", &["id", "key"]).unwrap(), ["a", "b"]);
    }

    #[test]
    fn what_is_missing_is_named_and_what_was_given_is_not() {
        for (text, questions) in
            [("", &["id"][..]), ("\n", &["id"]), ("s3cr3t", &["id", "key"]), ("s3cr3t\n\n", &["x", "id"])]
        {
            let why = given(text, questions).unwrap_err();
            assert!(why.contains("id") && !why.contains("s3cr3t"), "{why}");
        }
    }
}
