-- Gives the bytes of a picture or film.
SELECT bytes FROM onceward.media WHERE sha256 = $1
