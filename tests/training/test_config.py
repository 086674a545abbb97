"""The schema: keyword-only, known to OmegaConf, and no default is shared between two configs."""

from dataclasses import fields, is_dataclass

import pytest
from omegaconf import OmegaConf

from training import config as schema
from training.config import CampaignConfig, PolicyConfig

CLASSES = [kind for kind in vars(schema).values() if isinstance(kind, type) and is_dataclass(kind)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_field_is_documented_and_has_a_default(kind):
    for field in fields(kind):
        assert f"{field.name}:" in kind.__doc__
    assert kind() == kind()
    with pytest.raises(TypeError):
        kind(1)


def test_defaults_are_not_shared():
    one, other = CampaignConfig(), CampaignConfig()
    one.engine["name"] = "table"
    one.policies["player"] = PolicyConfig()
    one.policies["player"].optimiser.epochs = 9
    assert other.engine == {"name": "torch"}
    assert other.policies == {}
    assert PolicyConfig().optimiser.epochs == 1


def test_the_schema_survives_omegaconf():
    assert OmegaConf.to_object(OmegaConf.structured(CampaignConfig())) == CampaignConfig()


def test_unknown_fields_are_refused():
    with pytest.raises(TypeError, match="ronds"):
        CampaignConfig(ronds=3)
