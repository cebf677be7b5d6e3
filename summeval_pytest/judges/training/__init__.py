"""How the embedded judge learns: from labelled sets to the plain arrays that ship with it.

    python -m summeval_pytest.judges.training.NAME --data ../shared/data

Nothing else imports this folder, and no text of the sets goes into what it writes.
"""
