-- Gives the bytes of a picture or film.
SELECT bytes FROM onceward_media WHERE sha256 = ?1
