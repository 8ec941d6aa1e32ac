@rem npm scripts begin with exec, so that signals reach the program. cmd.exe has no exec: it finds this file,
@rem and cannot run bin/node, which only finds the Node that is on its path.
@for /f "usebackq tokens=1*" %%a in ('%*') do @node %%b
