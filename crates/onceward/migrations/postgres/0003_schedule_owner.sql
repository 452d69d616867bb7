-- Who says what a schedule is: the configuration, or whoever registered it.

ALTER TABLE onceward.schedule ADD COLUMN owner text;          -- removes what it no longer names; null: nobody does
