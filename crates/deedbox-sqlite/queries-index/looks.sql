SELECT look AS "look!" FROM registries WHERE look IS NOT NULL
