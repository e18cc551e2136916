/* Detects the sanitizer of the build, for GCC and Clang. */
#ifndef HY_TESTS_SANITIZERS_H
#define HY_TESTS_SANITIZERS_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HY_WITH_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define HY_WITH_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HY_WITH_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define HY_WITH_THREAD_SANITIZER 1
#endif

#endif
