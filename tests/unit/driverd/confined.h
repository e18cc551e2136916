#ifndef HY_TESTS_CONFINED_H
#define HY_TESTS_CONFINED_H

#include <stdbool.h>

enum confined_phase {
    LOADING, /* while the library is loading */
    WORKING, /* after loading */
};

/* Features removed from the kernel's view. */
enum confined_lack { LACKS_NOTHING, LACKS_LANDLOCK, LACKS_SECCOMP, LACKS_BOTH };

/* Results of a confined process. */
struct confined {
    int outcome; /* of the deed: 0, an errno value, or -1 */
    int status;  /* of the process */
    char description[256];
    char log[8192]; /* each line ends with '\n' */
};

/* Paths in a test directory. `state` is the state directory. The device files are `plain`, a file,
 * and `folder`, a directory with the file `in_dir`. `outside` is a file not among the device
 * files. */
struct confined_dirs {
    char root[64];
    char state[96], outside[96], plain[96], dir[96], in_dir[96], missing[96];
};

bool confined_dirs_init(struct confined_dirs *dirs);
void confined_dirs_finish(struct confined_dirs *dirs);

/* The directory of this program, created at the first call and removed at program end. Returns NULL
 * on failure. */
const struct confined_dirs *confined_own_dirs(void);

/*
 * Forks a process and confines it like a driver. The process may use the state directory of
 * `place`, and the device files /dev/full, the plain file and the directory. The process loads the
 * library hostile.c and runs one deed. Unless `line` is NULL, the process waits for the text in the
 * log.
 */
bool confined_run(const struct confined_dirs *dirs, enum confined_phase stage,
                  enum confined_lack lack, const char *deed, const char *argument, const char *line,
                  struct confined *ret);

/* Runs a deed in the program's directory. Expects the outcome and, unless `line` is NULL, a log
 * line with the text. */
void confined_expect(enum confined_phase stage, enum confined_lack lack, const char *deed,
                     const char *argument, int outcome, const char *line);

/* Runs confined_expect in both stages, each with and without Landlock. */
void confined_expect_anyway(const char *deed, const char *argument, int outcome, const char *line);

/* Whether the kernel has Landlock. */
bool confined_has_landlock(void);

#endif
