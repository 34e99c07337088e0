module larkspur.test/sync

go 1.19
