"""Django over psycopg2: tables made by its schema editor, the ORM, and inspectdb."""

import datetime
import decimal
import io
import os
import sys
import types

import django
from django.conf import settings

# The models below are of an application without files.
sys.modules["shop"] = types.ModuleType("shop")
sys.modules["shop"].__path__ = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "shop")]

settings.configure(
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"],
        "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"],
    }},
    INSTALLED_APPS=["shop"], USE_TZ=True, TIME_ZONE="UTC", DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, models, transaction  # noqa: E402
from django.db.models import Avg, Count, F, Q, Sum, Window  # noqa: E402
from django.db.models.functions import Lower, RowNumber, TruncMonth  # noqa: E402

from check import check, equal  # noqa: E402


class Shop(models.Model):
    name = models.CharField(max_length=40, unique=True)
    opened = models.DateField(null=True)

    class Meta:
        app_label = "shop"
        db_table = "django_shop"


class Sale(models.Model):
    shop = models.ForeignKey(Shop, on_delete=models.CASCADE, related_name="sales")
    what = models.CharField(max_length=20, db_index=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    qty = models.PositiveSmallIntegerField(default=1)
    extra = models.JSONField(default=dict)
    at = models.DateTimeField(default=datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc))
    took = models.DurationField(null=True)
    raw = models.BinaryField(null=True)
    key = models.UUIDField(null=True)

    class Meta:
        app_label = "shop"
        db_table = "django_sale"
        constraints = [models.UniqueConstraint(fields=["shop", "what"], name="django_sale_once")]
        indexes = [models.Index(fields=["-at", "shop"], name="django_sale_at")]


class Tag(models.Model):
    label = models.SlugField()
    shops = models.ManyToManyField(Shop, db_table="django_tag_shops")

    class Meta:
        app_label = "shop"
        db_table = "django_tag"


def create():
    with connection.cursor() as c:
        c.execute("DROP TABLE IF EXISTS django_tag_shops, django_tag, django_sale, django_shop CASCADE")
    with connection.schema_editor() as e:
        for m in (Shop, Sale, Tag):
            e.create_model(m)


def store():
    shops = Shop.objects.bulk_create([Shop(name="shop %d" % i, opened=datetime.date(2000 + i, 1, 1)) for i in range(5)])
    Sale.objects.bulk_create([Sale(shop=s, what="thing %d" % i, price=decimal.Decimal(i) / 4, qty=i + 1, extra={"i": i, "in": [i]},
                                   took=datetime.timedelta(days=1, seconds=i), raw=bytes([i])) for s in shops for i in range(4)])
    tag = Tag.objects.create(label="a-tag")
    tag.shops.set(shops[:2])
    sale = Sale.objects.select_related("shop").get(what="thing 3", shop__name="shop 1")
    equal((sale.price, sale.extra, sale.took, bytes(sale.raw)), (decimal.Decimal("0.75"), {"i": 3, "in": [3]}, datetime.timedelta(days=1, seconds=3), b"\x03"))
    equal(sorted(s.name for s in tag.shops.all()), ["shop 0", "shop 1"])


def queries():
    equal(Sale.objects.aggregate(n=Count("id"), s=Sum("price"), a=Avg("qty"))["n"], 20)
    rows = Shop.objects.annotate(n=Count("sales"), s=Sum(F("sales__price") * F("sales__qty"))).filter(n__gt=3).order_by("-name")
    equal([(r.name, r.s) for r in rows][:1], [("shop 4", decimal.Decimal("5.00"))])
    equal(Sale.objects.filter(Q(what__icontains="THING") & ~Q(shop__name__startswith="shop 1"), extra__i__gte=2).count(), 8)
    equal(Sale.objects.filter(what__iregex=r"^THING [01]$").count(), 10)
    equal(Sale.objects.filter(extra__contains={"i": 1}).count(), 5)
    equal([r["m"].month for r in Sale.objects.annotate(m=TruncMonth("at")).values("m").annotate(n=Count("id"))], [2])
    equal(Sale.objects.annotate(n=Window(RowNumber(), partition_by=F("shop"), order_by=F("price").desc())).filter(shop__name="shop 0").order_by("n")[0].what, "thing 3")
    equal(Shop.objects.filter(sales__in=Sale.objects.filter(qty=1)).distinct().count(), 5)
    equal(list(Shop.objects.order_by(Lower("name").desc()).values_list("name", flat=True)[1:3]), ["shop 3", "shop 2"])
    equal(Sale.objects.filter(at__year=2024, at__date=datetime.date(2024, 2, 29)).exists(), True)
    equal(sum(1 for _ in Sale.objects.iterator(chunk_size=3)), 20)


def change():
    Sale.objects.filter(shop__name="shop 0").update(price=F("price") + 1)
    equal(Sale.objects.get(shop__name="shop 0", what="thing 0").price, decimal.Decimal("1.00"))
    equal(Shop.objects.get_or_create(name="shop 9")[1], True)
    equal(Shop.objects.update_or_create(name="shop 9", defaults={"opened": None})[1], False)
    with transaction.atomic():
        sale = Sale.objects.select_for_update().get(shop__name="shop 1", what="thing 1")
        sale.delete()
    equal(Shop.objects.get(name="shop 2").delete()[0], 5)
    Sale.objects.bulk_create([Sale(shop=Shop.objects.get(name="shop 0"), what="thing 0")], ignore_conflicts=True)


def errors():
    try:
        with transaction.atomic():
            Shop.objects.create(name="shop 0")
    except IntegrityError as e:
        equal(e.__cause__.diag.constraint_name, "django_shop_name_key")
    else:
        raise AssertionError("two shops of the same name")
    try:
        with transaction.atomic():
            Sale.objects.create(shop_id=12345, what="x")
    except IntegrityError as e:  # the foreign key is deferred to the commit
        equal(e.__cause__.pgcode, "23503")
    else:
        raise AssertionError("a sale of no shop")


def alter():
    with connection.schema_editor() as e:
        field = models.TextField(default="none")
        field.set_attributes_from_name("note")
        e.add_field(Sale, field)
        new = models.CharField(max_length=50, null=True)
        new.set_attributes_from_name("note")
        e.alter_field(Sale, field, new)
        e.remove_field(Sale, new)
        e.remove_constraint(Sale, Sale._meta.constraints[0])


def inspect():
    out = io.StringIO()
    call_command("inspectdb", "django_shop", "django_sale", stdout=out)
    text = out.getvalue()
    for line in ["name = models.CharField(unique=True, max_length=40)", "shop = models.ForeignKey(DjangoShop, models.DO_NOTHING)",
                 "price = models.DecimalField(max_digits=8, decimal_places=2)", "took = models.DurationField(blank=True, null=True)",
                 "key = models.UUIDField(blank=True, null=True)"]:
        if line not in text:
            raise AssertionError("inspectdb does not say %s in %s" % (line, text))
    with connection.cursor() as c:
        found = connection.introspection.get_constraints(c, "django_sale")
    equal(found["django_sale_at"]["columns"], ["at", "shop_id"])
    equal(found["django_sale_at"]["orders"], ["DESC", "ASC"])
    equal(sum(1 for k in found.values() if k["foreign_key"]), 1)


def cleanup():
    with connection.schema_editor() as e:
        for m in (Tag, Sale, Shop):
            e.delete_model(m)


for name, what in [
    ("create tables", create), ("store and load objects", store), ("queries", queries), ("changes", change), ("errors", errors),
    ("alter tables", alter), ("inspectdb", inspect), ("drop tables", cleanup),
]:
    check(name, what)
