#ifndef HY_TESTS_SESSION_SCRIPT_H
#define HY_TESTS_SESSION_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What one side of a connection says in all of its life, as bytes: a sequence of steps, each a
 * struct session_step and as many bytes as it says. Any bytes at all are a script; what is too long
 * is cut, and numbers count modulo what there is. Scripts of real traffic lie in corpus/, written
 * by record_sessions.c.
 */
enum session_kind {
    SESSION_FRAME,    /* header and body of a frame */
    SESSION_ELEMENTS, /* a packet for the ring */
    SESSION_SCRIBBLE, /* u32 place, then words that are stored there, in the memory of the rings */
    SESSION_CUT,      /* one of the memories becomes shorter: socket is its number, bytes none */
    SESSION_HANG_UP,  /* closes a socket */
    SESSION_APP,      /* what a host plays against: socket is its number in session_app.h */
    SESSION_KINDS,
};

#define SESSION_RAW  1u /* frame: the counts of its header go as they are; scribble: on and on */
#define SESSION_LONG 2u /* frame: the body goes in a file */

enum session_fd {
    SESSION_FD_CHANNEL, /* the end of a new socket */
    SESSION_FD_RINGS,   /* good rings */
    SESSION_FD_MEMORY,  /* 64 KiB of memory that anybody may cut */
    SESSION_FD_SMALL,   /* one page */
    SESSION_FD_EMPTY,
    SESSION_FD_SEALED, /* 64 KiB that nobody can write to */
    SESSION_FD_FILE,   /* open for reading */
    SESSION_FD_FOLDER,
    SESSION_FD_PIPE_READ,  /* whose writer is gone */
    SESSION_FD_PIPE_WRITE, /* whose reader is gone */
    SESSION_FD_PIPE_FULL,
    SESSION_FD_EVENT,
    SESSION_FD_EVENT_READY,
    SESSION_FD_STREAM, /* the end of a socket of another type */
    SESSION_FD_LONELY, /* a socket that is not connected */
    SESSION_FD_DEVICE, /* /dev/null */
    SESSION_FD_ZERO,   /* /dev/zero */
    SESSION_FD_PATH,   /* O_PATH */
    SESSION_FD_EPOLL,
    SESSION_FD_TIMER,
    SESSION_FD_SIGNAL,
    SESSION_FD_PROCESS,       /* a pidfd */
    SESSION_FD_PROC,          /* a file of /proc, which has no length */
    SESSION_FD_READ_ONLY,     /* memory, as the following */
    SESSION_FD_WRITE_ONLY,    /* nobody can read or map it */
    SESSION_FD_APPEND,        /* writes go to its end */
    SESSION_FD_SPARSE,        /* 64 GiB without a page */
    SESSION_FD_SEALED_LENGTH, /* can be written to */
    SESSION_FD_SEALED_FUTURE, /* can be written to by nobody who maps it from now on */
    SESSION_FD_LISTENING,     /* a socket that is bound to a name of the kernel's choice */
    SESSION_FD_CONTROL,       /* the end of the control socket that whoever plays has */
    SESSION_FD_KINDS,
};

enum { SESSION_FDS = 8, SESSION_MEMORY = 64 << 10 };

struct session_step {
    uint8_t kind;   /* enum session_kind */
    uint8_t socket; /* 0: the control socket; others in the order in which they were made */
    uint8_t flags;  /* SESSION_* */
    uint8_t fd_count;
    uint8_t fds[SESSION_FDS]; /* enum session_fd */
    uint32_t bytes;
};

struct session_script {
    const uint8_t *bytes;
    size_t left;
};

/* The next step, its numbers in range. False: there is none. `*content` lies in the script. */
bool session_next(struct session_script *script, struct session_step *step,
                  const uint8_t **content);

/* A descriptor of the kind; not CHANNEL, RINGS and CONTROL, which belong to who plays. Running out
 * of them ends the program. */
int session_fd_open(enum session_fd kind);

/* Sends a frame with the descriptors, which stay the caller's. */
void session_send(int socket, const struct session_step *step, const uint8_t *content,
                  const int *fds);

/* The lowest free descriptor: whoever leaves one open below it is noticed. */
int session_free_fd(void);

/* Script number `index` of a folder of files, for the caller to free; NULL behind the last. */
uint8_t *session_file(const char *folder, unsigned index, size_t *length);

#endif
