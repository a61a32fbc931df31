"""The bucket of the checks, by another implementation: boto3.

Usage: Sources/Server/Tests/Checks/collector_bucket.py ENDPOINT    makes the bucket `archive` and a person who may use it
in a new service of moto, and prints the credentials as lines for the shell.
"""

import os
import sys

import boto3


def client(name="s3", **options):
    endpoint = os.environ.get("LOCOMOTION_S3_ENDPOINT")
    return boto3.client(name, **{"endpoint_url": endpoint, **options})


def place(objects):
    """The bucket and the prefix of an address."""
    bucket, _, prefix = objects.removeprefix("s3://").partition("/")
    return bucket, prefix


def fill(objects, count):
    """Stores things that are no units beside those of an archive."""
    bucket, prefix = place(objects)
    service = client()
    for number in range(count):
        service.put_object(Bucket=bucket, Key=f"{prefix}/user=a/{number:04}", Body=b"something")


def listed(objects):
    """The service, the bucket and the name of each object of an archive."""
    bucket, prefix = place(objects)
    service = client()
    for page in service.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for found in page.get("Contents", []):
            yield service, bucket, found["Key"]


def everything(objects):
    """The names and the contents of all objects of an archive."""
    for service, bucket, name in listed(objects):
        yield name.encode()
        yield service.get_object(Bucket=bucket, Key=name)["Body"].read()


def replace(objects, digest, content):
    """Gives the object of a unit another content, or with None removes it."""
    for service, bucket, name in listed(objects):
        if digest in name and content is None:
            service.delete_object(Bucket=bucket, Key=name)
        elif digest in name:
            service.put_object(Bucket=bucket, Key=name, Body=content)


def make(endpoint):
    """Four calls, which the service takes without credentials; from then on it checks them."""
    options = {"endpoint_url": endpoint, "aws_access_key_id": "a", "aws_secret_access_key": "a"}
    client("s3", **options).create_bucket(Bucket="archive")
    people = client("iam", **options)
    people.create_user(UserName="collector")
    people.put_user_policy(
        UserName="collector", PolicyName="archive", PolicyDocument="""{
            "Version": "2012-10-17", "Statement": [{
                "Effect": "Allow", "Action": "s3:*",
                "Resource": ["arn:aws:s3:::archive", "arn:aws:s3:::archive/*"]}]}""")
    key = people.create_access_key(UserName="collector")["AccessKey"]
    print(f"export LOCOMOTION_S3_ENDPOINT={endpoint}")
    print(f"export AWS_ACCESS_KEY_ID={key['AccessKeyId']}")
    print(f"export AWS_SECRET_ACCESS_KEY='{key['SecretAccessKey']}'")


if __name__ == "__main__":
    make(sys.argv[1])
