/*
 * Preloaded into a process: keeps an image of the disk that has only its synced writes, as after a power failure.
 * Environment: SYNCED_DISK, a folder; SYNCED_IMAGE, the folder of the image; SYNCED_KILL, after how many syncs the
 * process kills itself, 0: never.
 *
 * 1. The content of a file is that of its last sync: <image>/<inode>.
 * 2. The entries of a folder are those of its last sync: <image>/<inode>, a line for each: inode, type and name.
 * 3. <image>/log has a line for each completed sync: the path.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int syncs = 0;

static void copy(int from, FILE *to) {
  static char bytes[1 << 20];
  off_t at = 0;
  for (ssize_t read; (read = pread(from, bytes, sizeof bytes, at)) > 0; at += read) fwrite(bytes, 1, read, to);
}

static void list(const char *path, FILE *to) {
  DIR *folder = opendir(path);
  if (folder == NULL) abort();
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    fprintf(to, "%lu %s %s\n", (unsigned long)entry->d_ino, entry->d_type == DT_DIR ? "folder" : "file", entry->d_name);
  }
  closedir(folder);
}

/* Within the turn; the image changes atomically, because the process may be killed at any time. */
static void keep(int descriptor, const char *path, const char *image) {
  char draft[PATH_MAX], kept[PATH_MAX];
  struct stat file;
  if (fstat(descriptor, &file) != 0) abort();
  snprintf(draft, sizeof draft, "%s/draft", image);
  snprintf(kept, sizeof kept, "%s/%lu", image, (unsigned long)file.st_ino);
  FILE *to = fopen(draft, "w");
  if (to == NULL) abort();
  if (S_ISDIR(file.st_mode)) list(path, to);
  else {
    /* The descriptor may be only for writing. */
    int from = open(path, O_RDONLY);
    if (from >= 0) copy(from, to);
    if (from >= 0) close(from);
  }
  fclose(to);
  if (rename(draft, kept) != 0) abort();
}

static void synced(int descriptor) {
  const char *disk = getenv("SYNCED_DISK"), *image = getenv("SYNCED_IMAGE"), *kill_after = getenv("SYNCED_KILL");
  char link[64], path[PATH_MAX], log[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (disk == NULL || image == NULL || length < 0) return;
  path[length] = 0;
  if (strncmp(path, disk, strlen(disk)) != 0) return;
  pthread_mutex_lock(&turn);
  keep(descriptor, path, image);
  snprintf(log, sizeof log, "%s/log", image);
  FILE *lines = fopen(log, "a");
  if (lines == NULL) abort();
  fprintf(lines, "%s\n", path);
  fclose(lines);
  if (++syncs == (kill_after == NULL ? 0 : atoi(kill_after))) kill(getpid(), SIGKILL);
  pthread_mutex_unlock(&turn);
}

static int next(const char *name, int descriptor) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = sync(descriptor);
  if (result == 0) synced(descriptor);
  return result;
}

int fsync(int descriptor) { return next("fsync", descriptor); }
int fdatasync(int descriptor) { return next("fdatasync", descriptor); }
