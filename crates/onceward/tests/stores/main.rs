//! The conformance suite: each behaviour is written once, named as a law, and run on each store.

mod harness;
mod in_sql;
#[path = "../../../../tests/src/page.rs"]
#[allow(unreachable_pub, reason = "public in the package that it belongs to")]
mod page;
mod parity;

/// Runs each law on SQLite, on PostgreSQL, and on PostgreSQL through a transaction pooler.
macro_rules! laws {
    ($($file:ident: $($law:ident),+ $(,)?;)+) => {
        mod cases { $(pub(crate) mod $file;)+ }
        laws!(@store sqlite $($file: $($law),+;)+);
        laws!(@store postgres $($file: $($law),+;)+);
        laws!(@store pgbouncer $($file: $($law),+;)+);
    };
    (@store $store:ident $($file:ident: $($law:ident),+;)+) => {
        mod $store { $(mod $file { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() -> $crate::harness::Verdict {
                let store = $crate::harness::Store::$store().await?;
                $crate::cases::$file::$law(&store).await
            }
        )+ })+ }
    };
}

laws! {
    enqueue:
        a_job_is_pending_when_enqueue_returns,
        a_key_or_id_that_is_empty_is_a_mistake,
        two_hundred_producers_of_one_key_make_one_job,
        a_rolled_back_transaction_leaves_no_job;
    beside:
        a_queue_beside_a_pool_shares_its_transactions_and_leaves_it_open,
        a_transaction_of_another_engine_is_refused,
        a_transaction_of_a_database_without_a_queue_is_refused,
        a_pool_that_cannot_carry_the_queue_is_refused;
    close:
        a_closed_store_has_written_what_waited_and_lets_go;
    worker:
        a_receipt_is_kept_with_the_job,
        a_transient_failure_waits_by_the_policy,
        a_permanent_failure_is_dead_at_once,
        a_handler_gets_the_payload_as_it_was_given,
        a_panic_is_a_failed_try,
        recording_an_error_cannot_fail,
        a_snooze_spends_no_try,
        a_rate_limit_holds_back_the_whole_queue,
        an_undecodable_payload_is_dead_and_revivable,
        a_worker_leaves_kinds_and_versions_it_does_not_know,
        a_stop_hands_back_what_does_not_finish,
        a_job_found_in_a_crash_runs_beside_no_other,
        complete_in_settles_with_the_transaction_or_not_at_all;
    lineage:
        a_step_that_may_have_been_lost_is_found_out_before_it_is_sent,
        a_blind_step_that_may_have_been_lost_is_parked_until_a_person_tells,
        what_was_not_due_may_have_been_moved_and_sent_after_a_backup,
        what_comes_due_after_a_promotion_goes_out_as_ever,
        what_a_schedule_or_an_outbox_gave_before_a_loss_may_have_been_sent,
        no_number_is_given_again_after_a_loss,
        a_backup_in_the_place_of_its_store_notices_by_itself,
        a_clock_that_was_ahead_hides_no_loss,
        a_lineage_whose_name_was_unknown_is_no_other_one,
        a_copy_says_what_may_have_been_sent_before_anybody_writes_to_it,
        without_a_worker_the_newest_job_is_the_last_sign_of_life,
        a_copy_that_knows_itself_is_told_nothing_new;
    restored:
        a_clock_that_was_ahead_hides_no_loss_from_a_person,
        a_step_that_was_found_out_says_nothing_of_another,
        what_a_person_lets_go_after_a_loss_may_have_been_sent,
        what_a_person_moves_after_a_promotion_may_have_been_sent,
        whoever_says_so_sends_what_may_have_been_lost_again,
        who_has_looked_says_so_of_what_still_waits,
        what_may_have_been_lost_is_not_edited_in_place,
        what_an_edit_brings_forward_after_a_loss_may_have_been_sent;
    effects:
        an_accepted_effect_has_its_receipt_in_the_ledger,
        a_lost_answer_on_a_blind_channel_is_parked,
        a_lost_answer_on_a_keyed_channel_is_repeated_byte_for_byte,
        a_key_is_not_trusted_beyond_its_window,
        a_doubt_that_is_found_is_done_without_sending,
        nothing_is_looked_up_within_the_quiet_period,
        a_look_that_cannot_tell_ends_with_a_person,
        a_blind_doubt_is_resent_once_if_its_owner_wants_that,
        what_was_certainly_not_sent_is_tried_again,
        a_refusal_is_an_answer_and_no_doubt,
        done_with_an_open_effect_is_in_doubt,
        a_step_that_was_accepted_is_not_sent_again,
        an_edited_request_has_a_key_of_its_own,
        a_repeated_doubt_waits_longer_each_time,
        a_repeated_key_without_an_answer_is_looked_for_at_once,
        an_absence_is_believed_of_the_send_that_was_looked_for,
        a_cancelled_doubt_that_did_not_happen_is_cancelled,
        no_effect_is_sent_when_the_lease_has_no_room_for_it;
    crashes:
        what_a_death_at_each_moment_leads_to_is_what_the_page_says;
    outage:
        a_receipt_that_the_store_cannot_take_now_is_not_forgotten;
    outbox:
        a_row_exists_if_and_only_if_its_transaction_committed,
        a_message_that_comes_again_makes_no_second_job,
        rows_written_by_plain_sql_are_handed_over,
        a_bad_row_is_refused_with_its_reason_and_stops_only_its_key,
        a_refused_row_goes_once_the_reason_is_gone,
        a_conflict_leaves_the_message_free_to_come_again,
        a_target_that_is_away_is_named_and_loses_nothing,
        relays_side_by_side_keep_the_order_of_each_key,
        what_a_dead_relay_had_claimed_goes_after_its_lease,
        a_row_that_commits_late_is_not_passed_over,
        rows_beyond_the_replay_window_are_forgotten;
    messages:
        another_message_under_a_used_id_is_refused_and_named,
        what_follows_a_used_id_waits_for_it,
        one_message_from_two_outboxes_is_one_job,
        a_message_of_which_only_the_id_is_known_counts_as_a_repeat,
        a_message_stands_for_no_job_that_was_not_made;
    relay:
        no_row_stops_more_than_its_key,
        a_relay_that_dies_between_hand_over_and_mark_makes_no_second_job,
        a_backlog_of_few_keys_is_carried_away,
        what_a_killed_process_had_claimed_is_taken_back,
        what_a_refused_row_holds_back_is_counted_as_that;
    threads:
        later_steps_wait_for_their_share_of_the_rate,
        steps_are_frozen_before_the_first_is_sent,
        two_jobs_that_match_one_post_never_share_it;
    look:
        a_payload_comes_back_byte_for_byte,
        a_job_is_shown_with_its_attempts_and_its_error,
        a_finished_job_is_seen_where_it_went,
        a_job_that_is_not_there_is_not_found,
        paging_sees_each_job_once,
        the_last_page_says_that_it_is,
        a_search_is_plain_text,
        a_filter_gives_what_meets_all_of_it,
        what_is_discarded_is_found_by_that,
        an_effect_shows_the_request_as_it_was_frozen;
    cancel:
        cancelled_before_its_claim_it_never_runs,
        a_held_job_that_is_cancelled_waits_for_nobody,
        cancelled_while_it_runs_it_stops_and_says_so,
        cancelled_in_doubt_it_is_found_out_and_never_sent_again,
        cancelled_in_doubt_where_repeats_are_harmless_it_is_looked_for,
        what_is_over_stays_as_it_is,
        what_is_withdrawn_is_withdrawn_whole_or_not_at_all,
        a_bulk_cancel_meets_only_what_matches,
        a_cancelled_key_is_free_only_if_it_was_held_until_then,
        a_held_job_waits_for_its_release,
        the_reason_of_a_hold_is_one_text_whoever_holds,
        a_pending_job_can_be_moved_in_time;
    dead:
        a_revive_opens_a_new_budget_and_attempts_go_on,
        what_an_edit_held_while_it_was_dead_is_still_held_when_revived,
        a_bulk_revive_leaves_what_may_have_happened,
        alone_it_is_found_out_before_it_is_sent,
        alone_and_blind_it_is_parked,
        sending_again_takes_one_id_and_the_end_of_the_quiet_period,
        a_dry_run_changes_nothing,
        a_limit_takes_the_oldest,
        another_payload_is_checked_and_sent_instead,
        an_edited_payload_is_what_is_sent,
        what_was_accepted_keeps_its_payload,
        a_revived_job_has_its_key_again_or_stays_dead,
        a_discard_can_be_undone_for_five_minutes_and_not_after,
        groups_are_by_code_and_not_by_text,
        a_job_that_cannot_run_is_dead_from_the_start_and_revivable,
        a_job_that_is_dead_from_the_start_keeps_no_key_that_counts_until_settled,
        what_is_dead_from_the_start_is_settled_also_for_its_own_call;
    doubt:
        a_stale_resolve_changes_nothing,
        two_people_settle_a_doubt_once,
        did_not_happen_is_not_taken_in_the_quiet_period,
        what_happened_is_done_and_not_sent_again,
        what_happened_in_part_goes_on_from_there,
        given_up_is_dead_and_still_not_forgotten,
        a_doubt_that_was_cancelled_is_not_sent_again,
        a_handlers_own_doubt_is_settled_by_a_person,
        a_verify_looks_again_where_something_can,
        what_nothing_can_look_at_is_left_to_people;
    keeper:
        a_lease_that_ran_out_goes_back_and_its_job_runs_alone_next,
        a_job_that_crashes_alone_three_times_is_dead,
        a_lease_that_ran_out_over_an_open_effect_is_a_doubt,
        a_crash_of_a_thousand_jobs_is_taken_back_in_one_round,
        ten_keepers_take_each_lease_back_once,
        only_a_certain_death_is_taken_over_before_its_time,
        an_idle_store_is_not_written_to,
        a_duty_is_not_lost_when_the_clock_goes_back,
        a_discard_is_final_after_five_minutes,
        a_worker_that_ended_is_not_called_alive;
    schedules:
        a_schedule_enqueues_its_job_at_its_time,
        ten_keepers_fire_a_time_once,
        missed_times_are_left_out_by_skip,
        missed_times_fire_once_by_once,
        missed_times_all_fire_by_all,
        a_long_absence_is_made_up_for_a_hundred_a_round,
        the_hour_that_is_left_out_fires_once,
        the_hour_that_comes_twice_fires_once,
        a_restart_loses_no_fire,
        a_paused_schedule_lets_its_times_pass,
        a_schedule_is_run_now_on_request_and_ends_when_removed,
        a_schedule_that_cannot_be_is_refused,
        what_an_owner_has_no_more_goes_and_what_others_registered_stays;
    retention:
        a_finished_job_is_kept_for_its_time_and_then_dropped_with_its_attempts,
        what_is_not_finished_is_never_dropped,
        a_dedup_key_outlives_its_job,
        a_key_that_ran_out_is_dropped_with_its_time,
        more_than_a_batch_is_dropped_in_one_go,
        the_first_days_are_prepared_before_anybody_works,
        a_day_of_the_history_goes_as_a_whole,
        a_day_that_began_without_a_partition_is_dropped_by_rows;
    queues:
        a_paused_queue_gives_nothing_until_it_is_resumed,
        a_queue_that_nobody_knows_cannot_be_paused,
        resuming_lets_an_open_circuit_probe_at_once,
        a_job_is_told_that_it_probes,
        all_that_waits_goes_as_soon_as_the_probe_is_answered,
        a_circuit_goes_with_its_policy,
        a_night_without_the_peer_spends_nothing_and_needs_nobody,
        a_night_without_a_blind_peer_parks_only_what_opened_the_circuit,
        settings_that_would_stop_a_queue_are_refused,
        status_says_what_waits_and_for_how_long,
        events_are_read_from_where_the_reader_was,
        a_backlog_is_what_is_due_up_to_a_limit,
        figures_equal_a_plain_count_after_random_operations;
    alerts:
        one_message_tells_of_all_that_died,
        of_many_processes_one_tells,
        a_rule_speaks_once_in_its_period,
        nothing_more_is_told_while_a_message_is_on_its_way,
        what_is_over_is_told_as_resolved,
        a_revoked_token_is_one_alert_and_resuming_drains_what_waits,
        an_alert_is_never_about_alerts,
        a_test_changes_nothing_of_what_was_told,
        a_message_that_died_stands_among_the_dead_and_the_rule_goes_on,
        a_worker_tells_by_itself;
    watched:
        a_rule_sees_its_topics_and_its_queues,
        a_backlog_counts_no_pause_and_no_outage,
        a_job_that_crashes_again_and_workers_that_end_young_are_told,
        what_was_missed_is_told,
        an_outbox_that_lags_or_refuses_is_told;
}
