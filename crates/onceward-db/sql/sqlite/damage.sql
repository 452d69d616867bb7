-- Gives what is wrong with the file, at most 100 lines; one line "ok" when nothing is.
SELECT integrity_check AS message
FROM pragma_integrity_check
