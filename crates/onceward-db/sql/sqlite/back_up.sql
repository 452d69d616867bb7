-- Copies one consistent state of the whole database into an empty file, while others read and write.
VACUUM INTO ?1
