-- Deletes the sign of life of a worker that ended, unless another worker of its process has written it anew.
DELETE FROM onceward.worker WHERE boot = $1 AND queues = $2
