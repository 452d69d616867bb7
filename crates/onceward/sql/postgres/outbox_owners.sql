-- Gives the processes that have rows in hand: a claim's token begins with the boot id of its owner.
SELECT DISTINCT substr(token, 1, 32) AS owner FROM onceward.outbox WHERE state = 'claimed' AND token IS NOT NULL
