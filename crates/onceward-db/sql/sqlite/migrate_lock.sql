-- One migration runs at a time: the transaction itself (BEGIN IMMEDIATE) is the lock here.
SELECT 1 AS locked
