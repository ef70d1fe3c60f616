//! cmdline.txt: one line of kernel arguments.
