#ifndef HY_TESTS_SESSION_SCRIPT_H
#define HY_TESTS_SESSION_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Everything sent by one side of a connection, as bytes: a sequence of steps, each a struct
 * session_step followed by its content. Any bytes form a valid script: long content is cut, and
 * numbers are taken modulo the existing objects. corpus/ holds scripts of real traffic from
 * record_sessions.c.
 */
enum session_kind {
    SESSION_FRAME,    /* header and body of a frame */
    SESSION_ELEMENTS, /* a packet for the ring */
    SESSION_SCRIBBLE, /* u32 word index, then the words to store in the ring memory */
    SESSION_CUT,      /* truncates a memory to 0 bytes; socket selects the memory, no content */
    SESSION_HANG_UP,  /* closes a socket */
    SESSION_APP,      /* the app for a host's script; socket is the index in session_app.h */
    SESSION_KINDS,
};

#define SESSION_RAW  1u /* frame: keep the header's counts; scribble: repeat in the background */
#define SESSION_LONG 2u /* frame: send the body in a file */

enum session_fd {
    SESSION_FD_CHANNEL, /* one end of a new socket */
    SESSION_FD_RINGS,   /* valid rings */
    SESSION_FD_MEMORY,  /* 64 KiB of memory without seals */
    SESSION_FD_SMALL,   /* one page */
    SESSION_FD_EMPTY,
    SESSION_FD_SEALED, /* 64 KiB of read-only sealed memory */
    SESSION_FD_FILE,   /* open for reading */
    SESSION_FD_DIR,
    SESSION_FD_PIPE_READ,  /* the writer is closed */
    SESSION_FD_PIPE_WRITE, /* the reader is closed */
    SESSION_FD_PIPE_FULL,
    SESSION_FD_EVENT,
    SESSION_FD_EVENT_READY,
    SESSION_FD_STREAM, /* one end of a socket of another type */
    SESSION_FD_LONELY, /* an unconnected socket */
    SESSION_FD_DEVICE, /* /dev/null */
    SESSION_FD_ZERO,   /* /dev/zero */
    SESSION_FD_PATH,   /* O_PATH */
    SESSION_FD_EPOLL,
    SESSION_FD_TIMER,
    SESSION_FD_SIGNAL,
    SESSION_FD_PROCESS,       /* a pidfd */
    SESSION_FD_PROC,          /* a /proc file, with length 0 */
    SESSION_FD_READ_ONLY,     /* memory, like the next entries */
    SESSION_FD_WRITE_ONLY,    /* not readable or mappable */
    SESSION_FD_APPEND,        /* writes go to the end */
    SESSION_FD_SPARSE,        /* 64 GiB without pages */
    SESSION_FD_SEALED_LENGTH, /* size sealed, writable */
    SESSION_FD_SEALED_FUTURE, /* sealed against later writable mappings */
    SESSION_FD_LISTENING,     /* a listening socket with a name chosen by the kernel */
    SESSION_FD_CONTROL,       /* the player's end of the control socket */
    SESSION_FD_KINDS,
};

enum { SESSION_FDS = 8, SESSION_MEMORY = 64 << 10 };

struct session_step {
    uint8_t kind;   /* enum session_kind */
    uint8_t socket; /* 0: the control socket; others in order of creation */
    uint8_t flags;  /* SESSION_* */
    uint8_t fd_count;
    uint8_t fds[SESSION_FDS]; /* enum session_fd */
    uint32_t bytes;
};

struct session_script {
    const uint8_t *bytes;
    size_t left;
};

/* Reads the next step, with its numbers reduced to valid ranges. Returns false at the end.
 * `*content` points into the script. */
bool session_next(struct session_script *script, struct session_step *step,
                  const uint8_t **content);

/* Opens a descriptor of the kind. CHANNEL, RINGS and CONTROL belong to the player and are not
 * allowed. Ends the program if out of descriptors. */
int session_fd_open(enum session_fd kind);

/* Sends a frame with the descriptors. The caller keeps the descriptors. */
void session_send(int socket, const struct session_step *step, const uint8_t *content,
                  const int *fds);

/* The lowest free descriptor, for detection of leaked descriptors. */
int session_free_fd(void);

/* Script number `index` of a directory, freed by the caller. Returns NULL behind the last
 * script. */
uint8_t *session_file(const char *dir, unsigned index, size_t *length);

#endif
