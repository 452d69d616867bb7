-- Says whether this is a copy to which nobody has written yet.
SELECT EXISTS (SELECT FROM onceward.lineage WHERE one = 1 AND name = 'copy') AS copy
