-- Says that this is a copy, and when it was made: whoever writes to it first takes it for a backup that was put in place.
UPDATE onceward_lineage SET name = 'copy', lost_from = ?1 WHERE one = 1
