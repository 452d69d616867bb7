-- Restored jobs of which nobody has found out yet whether they were sent in the lost commits: those of which some step was
-- not written about since, or none that is open. What is within ten seconds of the loss may be from before it, by a clock
-- that was ahead.
CREATE VIEW onceward_maybe_sent AS
SELECT job_id FROM onceward_restored AS restored
WHERE coalesce((
    SELECT min(updated_at) FROM onceward_effect AS effect
    WHERE effect.job_id = restored.job_id AND state <> 'accepted' AND NOT EXISTS (
        SELECT 1 FROM onceward_effect AS newer
        WHERE newer.job_id = effect.job_id AND newer.step = effect.step AND newer.generation > effect.generation)
) <= since + 10000000, 1);
