#ifndef HY_RUNTIME_DRIVERS_CRASH_FOLDER_H
#define HY_RUNTIME_DRIVERS_CRASH_FOLDER_H

#include "common/error.h"
#include "runtime/drivers/crash_record.h"

/*
 * Crash records as files: a folder of the state folder, in it a file for each process that opens a
 * driver or has ended meanwhile. Who could write there could keep drivers out: a folder that is
 * another user's, or that others may write to, is none.
 */

/* Room for the name of the file of one process. */
#define HY_CRASH_FILE_NAME_SIZE 48

struct hy_crash_file {
    char name[HY_CRASH_FILE_NAME_SIZE];
    struct hy_crash_record record;
};

struct hy_crash_file_list {
    struct hy_crash_file *items;
    uint32_t count;
};

/* Looks for the folder and, where it `makes`, makes it with the state folder. Gives a descriptor;
 * below 0: there is none. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_crash_folder_open(bool makes, int *ret, struct hy_error *err);

/* All records, at most a few dozen of them. Removes files that have been unreadable for a day.
 * What cannot be read is left out. Error: OUT_OF_MEMORY; the list is to be finished then, too. */
HY_MUST_CHECK enum hy_code hy_crash_folder_read(int folder, struct hy_crash_file_list *ret,
                                                struct hy_error *err);
void hy_crash_file_list_finish(struct hy_crash_file_list *list);

/* False: it is still there. */
bool hy_crash_folder_remove(int folder, const char *name);

/* A new file for the record of a process. Gives a descriptor; below 0: there is none, and no file
 * either (it was there before, the disk is full). */
int hy_crash_folder_add(int folder, const struct hy_crash_record *record);

/* The function that the process is in, in its file. False: it could not be written. */
bool hy_crash_file_set_call(int file, const struct hy_crash_record *record);

void hy_crash_file_name(const struct hy_crash_record *record, char name[HY_CRASH_FILE_NAME_SIZE]);

#endif
