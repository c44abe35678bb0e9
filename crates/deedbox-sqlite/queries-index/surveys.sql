SELECT survey AS "survey!" FROM registries WHERE survey IS NOT NULL
