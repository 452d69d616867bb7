-- Changes when another connection has committed.
SELECT data_version FROM pragma_data_version
