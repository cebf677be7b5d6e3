"""Commands that a person types now and then: new suites, labels, the history, noise of a judge."""
