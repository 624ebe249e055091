complete --keep-order --exclusive --command deadhead --arguments "(COMPLETE=fish deadhead -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
