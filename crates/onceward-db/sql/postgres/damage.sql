-- Gives one line "ok": a server looks after its own files.
SELECT 'ok'::text AS message
