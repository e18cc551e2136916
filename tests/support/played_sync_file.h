#ifndef HY_TESTS_PLAYED_SYNC_FILE_H
#define HY_TESTS_PLAYED_SYNC_FILE_H

/*
 * A kernel whose descriptors are sync_files, for machines that have no device that makes one. The
 * program is linked with -Wl,--wrap=ioctl.
 */

/* From now on every descriptor tells this status of a sync_file: 1 signalled, 0 active, below 0 the
 * error. HALYARD_TEST_SYNC_STATUS in the environment does the same at the start of the program. */
void play_sync_files(int status);
void play_no_sync_files(void); /* the real kernel again */

#endif
