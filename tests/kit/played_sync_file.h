#ifndef HY_TESTS_PLAYED_SYNC_FILE_H
#define HY_TESTS_PLAYED_SYNC_FILE_H

/*
 * Simulates a kernel with sync_file descriptors, for machines without a device for sync_files. Link
 * with -Wl,--wrap=ioctl.
 */

/* From now on every descriptor reports the given sync_file status: 1 signalled, 0 active, below 0
 * an error. HALYARD_TEST_SYNC_STATUS in the environment has the same effect at program start. */
void play_sync_files(int status);
void play_no_sync_files(void); /* restores the real kernel */

#endif
