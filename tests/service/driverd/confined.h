#ifndef HY_TESTS_CONFINED_H
#define HY_TESTS_CONFINED_H

#include <stdbool.h>

enum confined_stage {
    LOADING, /* as a driver is while its library is loaded */
    WORKING, /* as it is from then on */
};

/* What the kernel is said not to have. */
enum confined_lack { LACKS_NOTHING, LACKS_LANDLOCK, LACKS_SECCOMP, LACKS_BOTH };

/* What a confined process did and said. */
struct confined {
    int outcome; /* of the deed: 0, an errno, or -1 */
    int status;  /* of the process */
    char description[256];
    char log[8192]; /* lines, each ended by '\n' */
};

/* A folder of the test's: the state folder, a file that nobody names, and a file and a folder with
 * a file in it that are named among the device files. */
struct confined_place {
    char root[64];
    char state[96], outside[96], plain[96], folder[96], in_folder[96], missing[96];
};

bool confined_place_init(struct confined_place *place);
void confined_place_finish(struct confined_place *place);

/* The place of this program, made when it is first asked for and gone with the program; NULL: it
 * could not be made. */
const struct confined_place *confined_own_place(void);

/*
 * Makes a process, confines it as a driver's (with `place`'s state folder, and /dev/full, the plain
 * file and the folder as its device files), loads the library hostile.c there and has it do one
 * deed. When `line` is not NULL the process waits until the log has that.
 */
bool confined_run(const struct confined_place *place, enum confined_stage stage,
                  enum confined_lack lack, const char *deed, const char *argument, const char *line,
                  struct confined *ret);

/* One deed in the own place, which comes to that end, and leaves a line with those words where
 * there are some. */
void confined_expect(enum confined_stage stage, enum confined_lack lack, const char *deed,
                     const char *argument, int outcome, const char *line);

/* The same in both stages, with Landlock and with a kernel that has none. */
void confined_expect_anyway(const char *deed, const char *argument, int outcome, const char *line);

/* Whether this kernel has Landlock. */
bool confined_has_landlock(void);

#endif
