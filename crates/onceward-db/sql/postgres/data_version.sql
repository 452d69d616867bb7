-- Changes when another transaction has committed; unused here, where NOTIFY tells.
SELECT txid_snapshot_xmax(txid_current_snapshot()) AS data_version
