"""Runs a notebook from top to bottom, and fails if a cell does. Usage: python run_notebook.py NOTEBOOK

It needs nbclient, nbformat and ipykernel.
"""

import sys

import nbclient
import nbformat


def main() -> None:
    notebook = nbformat.read(sys.argv[1], as_version=4)
    nbclient.NotebookClient(notebook, timeout=300).execute()
    outputs = sum(len(cell.get("outputs", [])) for cell in notebook.cells)
    print(f"{sys.argv[1]}: {len(notebook.cells)} cells ran, with {outputs} outputs")


main()
