/* A disk that keeps only what was fsynced. Preloaded into a process, it copies a file below $ONCEWARD_LIVE into
 * $ONCEWARD_SHADOW after an fsync or fdatasync of it has succeeded, whole, with the size that it has then. What is in
 * the shadow when the process is killed is what a disk would hold after a power cut:
 *
 * - A write or a truncation counts from the next sync of its file.
 * - A new file counts from the next sync of its folder: until then its copy has a name that nobody looks for.
 * - Removing and renaming count at once.
 * - A copy that the kill cuts short leaves some blocks new and some old, as a real disk does. No call has returned yet.
 * - SQLite's "-shm" is an index in memory, made anew from the log, and is never copied.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_IN_FOLDER ".unnamed"

static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

/* A copy that cannot be made would look like lost data. */
static void die(const char *what) {
  perror(what);
  abort();
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The shadow's name of a live path; 0 if the path is none of ours. */
static int shadow_of(const char *path, const char *suffix, char out[PATH_MAX]) {
  const char *live = getenv("ONCEWARD_LIVE"), *shadow = getenv("ONCEWARD_SHADOW");
  size_t length = live ? strlen(live) : 0;
  if (!live || !shadow || strncmp(path, live, length) != 0 || (path[length] != '/' && path[length] != 0)) return 0;
  if (ends_with(path, "-shm")) return 0;
  return snprintf(out, PATH_MAX, "%s%s%s", shadow, path + length, suffix) < PATH_MAX;
}

static void copy_file(int from, const char *path) {
  static char block[1 << 16];
  struct stat size;
  char shadow[PATH_MAX];
  off_t at = 0;
  ssize_t got;
  if (!shadow_of(path, "", shadow)) return;
  if (access(shadow, F_OK) != 0) shadow_of(path, NOT_IN_FOLDER, shadow);
  int to = open(shadow, O_WRONLY | O_CREAT, 0600);
  if (to < 0 || fstat(from, &size) != 0) die(shadow);
  for (; (got = pread(from, block, sizeof block, at)) > 0; at += got)
    if (pwrite(to, block, (size_t)got, at) != got) die(shadow);
  if (got < 0 || ftruncate(to, at) != 0 || close(to) != 0) die(shadow);
}

/* The folder is synced: its new files have their names now. */
static void name_files(const char *path) {
  char shadow[PATH_MAX], old[PATH_MAX * 2], new[PATH_MAX * 2];
  struct dirent *entry;
  DIR *folder;
  if (!shadow_of(path, "", shadow) || !(folder = opendir(shadow))) return;
  while ((entry = readdir(folder))) {
    if (!ends_with(entry->d_name, NOT_IN_FOLDER)) continue;
    snprintf(old, sizeof old, "%s/%s", shadow, entry->d_name);
    snprintf(new, sizeof new, "%.*s", (int)(strlen(old) - strlen(NOT_IN_FOLDER)), old);
    if (rename(old, new) != 0) die(old);
  }
  closedir(folder);
}

static int keep(int fd, int synced) {
  char link[64], path[PATH_MAX];
  struct stat what;
  if (synced != 0 || fstat(fd, &what) != 0) return synced;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return synced;
  path[length] = 0;
  pthread_mutex_lock(&copying);
  if (S_ISDIR(what.st_mode)) name_files(path);
  else if (S_ISREG(what.st_mode)) copy_file(fd, path);
  pthread_mutex_unlock(&copying);
  return synced;
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return keep(fd, real(fd));
}

int fdatasync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return keep(fd, real(fd));
}

int unlink(const char *path) {
  int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
  char shadow[PATH_MAX];
  int done = real(path);
  if (done == 0 && shadow_of(path, "", shadow)) real(shadow);
  if (done == 0 && shadow_of(path, NOT_IN_FOLDER, shadow)) real(shadow);
  return done;
}

int rename(const char *old, const char *new) {
  int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  char from[PATH_MAX], to[PATH_MAX];
  int done = real(old, new);
  if (done == 0 && shadow_of(old, "", from) && shadow_of(new, "", to)) real(from, to);
  return done;
}
