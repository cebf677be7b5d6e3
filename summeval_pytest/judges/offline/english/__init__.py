"""What words mean to the embedded judge: English and general, keyed to no field."""
