import os
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="form_django",
    HV_URL=os.environ["HV_URL"],
    HV_SECRET=os.environ["HV_SECRET"],
)
make_server("127.0.0.1", int(os.environ["PORT"]), get_wsgi_application()).serve_forever()
