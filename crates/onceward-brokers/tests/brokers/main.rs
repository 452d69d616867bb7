//! Each law on each broker, on a real server of this run (`./dev test`); and what the intake does with any, on a shelf.

mod engine;
mod killed;
mod laws;
mod nats;
mod proxy;
mod rabbitmq;
mod shelf;
mod sqs;
mod support;
mod unsteady;

/// Runs each law on one engine.
macro_rules! on {
    ($engine:ident: $kind:ty) => {
        mod $engine {
            on!(@law $kind:
                a_row_goes_through_the_broker_and_runs_once,
                what_a_row_says_is_said_of_its_job,
                a_message_of_others_has_queue_and_kind_of_its_source,
                what_cannot_be_read_is_a_dead_job_and_comes_no_more,
                another_message_under_a_used_id_is_kept_as_a_dead_job,
                rows_of_two_outboxes_with_one_id_both_arrive,
                what_is_rejected_is_left_to_the_broker,
                a_message_that_is_too_old_to_be_known_is_held,
                a_key_is_handed_over_in_order,
                a_full_queue_stops_its_source,
                a_message_is_ours_while_it_cannot_be_written,
                no_message_runs_twice_and_none_is_lost,
            );
        }
    };
    (@law $kind:ty: $($law:ident),+ $(,)?) => { $(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $law() -> $crate::support::Verdict {
            $crate::laws::$law::<$kind>().await
        }
    )+ };
}

/// The law that needs a server of its own.
macro_rules! killed {
    ($server:ty) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn a_server_that_is_killed_and_comes_back_has_each_message_run_once() -> crate::support::Verdict
        {
            crate::killed::a_server_that_is_killed_and_comes_back_has_each_message_run_once::<$server>().await
        }
    };
}

mod on_nats {
    on!(jetstream: crate::nats::Nats);
    killed!(crate::nats::Server);
}

mod on_rabbitmq {
    on!(quorum: crate::rabbitmq::Rabbit);
    killed!(crate::rabbitmq::Node);
}

mod on_sqs {
    on!(standard: crate::sqs::Sqs<false>);
    on!(fifo: crate::sqs::Sqs<true>);
}
