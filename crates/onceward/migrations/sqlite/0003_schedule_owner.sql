-- Who says what a schedule is: the configuration, or whoever registered it.

ALTER TABLE onceward_schedule ADD COLUMN owner TEXT;          -- removes what it no longer names; null: nobody does
