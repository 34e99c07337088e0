"""CI: what a `.gitlab-ci.yml` says, which jobs a pipeline gets from it, and in which order they go.

`file` and its neighbours read and check; `states` says which job may go on; `creating` makes pipelines. What is stored,
and the rules about it, are in `store/`.
"""
