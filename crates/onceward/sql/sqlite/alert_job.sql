-- Notes which job carries a rule's last message.
UPDATE onceward_alert SET job_id = ?2 WHERE name = ?1
