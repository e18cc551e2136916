#ifndef HY_TESTS_SERVICE_ASKING_H
#define HY_TESTS_SERVICE_ASKING_H

/*
 * What the asking driver is told by its input, four floats: a wish, and up to three numbers that go
 * with it. Its output has the status of the host's function, and up to three numbers.
 */
enum asking_wish {
    ASK_LOCK, /* exclusive (0, 1), milliseconds until the deadline (-1: none) */
    ASK_UNLOCK,
    ASK_LOCK_PIPE,    /* a descriptor that is no file; 1: its end for writing */
    ASK_BEGIN,        /* 1: for a token that is not in use */
    ASK_COMMIT,       /* keep (0, 1), the first byte of the new file */
    ASK_CONTENT,      /* gives the first byte of the file that the model was prepared from */
    ASK_WRITE,        /* the byte to write into it, under a lock */
    ASK_STORE_DIGEST, /* its first byte */
    ASK_FIND_DIGEST,
    ASK_STORE_BLOB, /* its first byte */
    ASK_LOAD_BLOB,  /* gives length and first byte */
    ASK_REMOVE_BLOB,
    ASK_LATER,     /* counts when it runs */
    ASK_LATER_RAN, /* gives how often */
    ASK_LOG,       /* a line, of the lowest level */
    ASK_WISHES
};

#define ASKING_NUMBERS 4u

#endif
