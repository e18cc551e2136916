#ifndef HY_RUNTIME_DRIVERS_CRASH_DIR_H
#define HY_RUNTIME_DRIVERS_CRASH_DIR_H

#include "common/error.h"
#include "runtime/drivers/crash_record.h"

/*
 * Crash records as files in a subdirectory of the state directory, with one file for each process
 * that opens drivers or has crashed. A process with write access could disable drivers, so a
 * directory of another user, or a directory that other users may write to, is rejected.
 */

/* Buffer size for the file name of one process. */
#define HY_CRASH_FILE_NAME_SIZE 48

struct hy_crash_file {
    char name[HY_CRASH_FILE_NAME_SIZE]; /* "": in no directory */
    struct hy_crash_record record;
};

/* Zeroed: an empty list. */
struct hy_crash_file_list {
    struct hy_crash_file *items;
    uint32_t count;
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_crash_file_list_add(struct hy_crash_file_list *list, const char *name,
                                                  const struct hy_crash_record *record,
                                                  struct hy_error *err);
void hy_crash_file_list_remove(struct hy_crash_file_list *list, uint32_t index); /* reorders */
void hy_crash_file_list_finish(struct hy_crash_file_list *list);

/* Opens the directory; with `makes`, creates a missing directory and the state directory. `*ret` is
 * a descriptor. Errors: FAILED (no usable directory; the text has the reason), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_crash_dir_open(bool makes, int *ret, struct hy_error *err);

/* Adds the records of ended processes to the list, at most HY_CRASH_FILES_MOST. `own` is this
 * process. Removes files that have been unreadable for a day. Errors: FAILED (the directory cannot
 * be read), OUT_OF_MEMORY. */
#define HY_CRASH_FILES_MOST 256u
HY_MUST_CHECK enum hy_code hy_crash_dir_read(int dir, const struct hy_process_identity *own,
                                             struct hy_crash_file_list *list, struct hy_error *err);

/* Creates or overwrites the file of the record's process. After a failure the file does not exist.
 * `*ret` is the descriptor of the file. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_crash_dir_add(int dir, const struct hy_crash_record *record, int *ret,
                                            struct hy_error *err);

/* Replaces the record in the file. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_crash_file_write(int file, const struct hy_crash_record *record,
                                               struct hy_error *err);

/* Removes a file by name, or the file of the record's process. False: the file still exists. */
bool hy_crash_dir_remove(int dir, const char *name);
bool hy_crash_dir_remove_own(int dir, const struct hy_crash_record *record);

#endif
