module certus.example

go 1.18
