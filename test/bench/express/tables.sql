create table cards (
  id bigint generated always as identity primary key,
  company_id bigint not null,
  number_hash bytea not null unique,
  last4 text not null,
  status text not null default 'active',
  currency text not null default 'USD',
  amount_max bigint not null,
  valid_from date not null default current_date,
  valid_until date not null default current_date + 365,
  held bigint not null default 0,
  uses integer not null default 0
);
create table authorizations (
  id bigint generated always as identity primary key,
  card_id bigint not null references cards,
  trace_id text not null,
  amount bigint not null,
  approval_code text,
  decline_reason text,
  request jsonb not null,
  created_at timestamptz not null default now(),
  unique (card_id, trace_id)
);
create table events (
  id bigint generated always as identity primary key,
  company_id bigint not null,
  type text not null,
  payload jsonb not null,
  created_at timestamptz not null default now()
);
create index events_of_company on events (company_id, id);
create table webhooks (
  id bigint generated always as identity primary key,
  company_id bigint not null,
  url text not null,
  secret text not null
);
create table deliveries (
  id bigint generated always as identity primary key,
  event_id bigint not null references events,
  webhook_id bigint not null references webhooks,
  status integer not null,
  created_at timestamptz not null default now()
);
