-- $1: the edition.
UPDATE index_edition SET edition = $1
