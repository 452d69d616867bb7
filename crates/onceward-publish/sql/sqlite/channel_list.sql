-- Gives all channels that were ever configured, by their stable id.
SELECT id, name FROM onceward_channel ORDER BY name
