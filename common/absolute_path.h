#ifndef HY_COMMON_ABSOLUTE_PATH_H
#define HY_COMMON_ABSOLUTE_PATH_H

/*
 * A copy of `path`, to free(), that means the same file wherever the process goes: what somebody
 * named is meant from where the process stands now. Links are not resolved: the link's own name and
 * folder count. NULL with errno set where that is unknown, or memory is lacking.
 */
char *hy_absolute_path(const char *path);

#endif
