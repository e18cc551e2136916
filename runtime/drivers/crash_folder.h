#ifndef HY_RUNTIME_DRIVERS_CRASH_FOLDER_H
#define HY_RUNTIME_DRIVERS_CRASH_FOLDER_H

#include "common/error.h"
#include "runtime/drivers/crash_record.h"

/*
 * Crash records as files: a folder of the state folder, in it a file for each process that opens
 * drivers or has ended meanwhile. Who could write there could keep drivers out: a folder that is
 * another user's, or that others may write to, is none.
 */

/* Room for the name of the file of one process. */
#define HY_CRASH_FILE_NAME_SIZE 48

struct hy_crash_file {
    char name[HY_CRASH_FILE_NAME_SIZE]; /* "": it is in no folder */
    struct hy_crash_record record;
};

/* Zero-filled it is empty. */
struct hy_crash_file_list {
    struct hy_crash_file *items;
    uint32_t count;
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_crash_file_list_add(struct hy_crash_file_list *list, const char *name,
                                                  const struct hy_crash_record *record,
                                                  struct hy_error *err);
void hy_crash_file_list_remove(struct hy_crash_file_list *list, uint32_t index); /* not in order */
void hy_crash_file_list_finish(struct hy_crash_file_list *list);

/* Looks for the folder and, where it `makes`, makes it with the state folder. `*ret` is a
 * descriptor. Errors: FAILED (there is none, in words), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_crash_folder_open(bool makes, int *ret, struct hy_error *err);

/* Adds the records of processes that are over, at most HY_CRASH_FILES_MOST; `own` is this one.
 * Files that have been unreadable for a day go. Errors: FAILED (the folder cannot be read),
 * OUT_OF_MEMORY. */
#define HY_CRASH_FILES_MOST 256u
HY_MUST_CHECK enum hy_code hy_crash_folder_read(int folder, const struct hy_process_identity *own,
                                                struct hy_crash_file_list *list,
                                                struct hy_error *err);

/* The file of the record's process, with that record: made, or written anew. Where that fails there
 * is no such file. `*ret` is its descriptor. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_crash_folder_add(int folder, const struct hy_crash_record *record,
                                               int *ret, struct hy_error *err);

/* The record in the place of the one in the file. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_crash_file_write(int file, const struct hy_crash_record *record,
                                               struct hy_error *err);

/* Removes a file by its name, or that of the record's process. False: it is still there. */
bool hy_crash_folder_remove(int folder, const char *name);
bool hy_crash_folder_remove_own(int folder, const struct hy_crash_record *record);

#endif
