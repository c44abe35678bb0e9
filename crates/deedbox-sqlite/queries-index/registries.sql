SELECT cursor FROM registries
