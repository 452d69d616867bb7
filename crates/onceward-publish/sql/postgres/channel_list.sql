-- Gives all channels that were ever configured, by their stable id.
SELECT id, name FROM onceward.channel ORDER BY name
