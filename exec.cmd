@rem npm scripts begin with exec, so that signals reach the program. cmd.exe has no exec: it finds this file.
@%*
